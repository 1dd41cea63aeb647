"""The rule mind: each question's own rule, for everyone at once."""

from memopolis.sim.mind.mind import Answer, Mind, Question


class RuleMind(Mind):
    """Answers every question by its rule."""

    is_rule = True

    def answer(self, question: Question) -> Answer:
        """Decide for everyone who is asked, in one call of the question's rule."""
        return question.rule(question)
