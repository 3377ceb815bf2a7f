"""The words of the memory section; ``memory.prompt`` puts them together."""
