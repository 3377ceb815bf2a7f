"""The words of the prompt, as Markdown files beside this one. Leaves putting them together to ``prompting``."""
