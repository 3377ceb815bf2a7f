"""What sessions read of memory, for agents that do not load it by themselves.

``section`` is the memory section of a prompt, kept for its session; ``recalling`` finds the topics a question calls for; ``hooks``
speaks to agents that call us when a session or a prompt begins.
"""
