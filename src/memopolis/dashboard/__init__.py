"""The page: a society watched, steered and asked while it runs, or a run replayed."""
