"""What all viewers of the page see together: a run under way, or a moment of finished ones."""
