"""The restricted agent: a bounded conversation with a model whose tools can only propose topics."""
