"""Retention: how strongly memories are kept, by use, age, importance and emotion."""
