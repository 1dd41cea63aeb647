"""The basic income scenario; its README describes the model in the form of ODD."""
