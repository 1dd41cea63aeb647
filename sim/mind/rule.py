"""The rule mind: each question's own rule, for everyone at once."""

from memopolis.sim.mind.mind import Answer, Question


class RuleMind:
    """Answers every question by its rule."""

    def answer(self, question: Question) -> Answer:
        """Decide for everyone who is asked, in one call of the question's rule."""
        return question.rule(question)
