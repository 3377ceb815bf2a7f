"""Reading session transcripts: bytes → records → messages → stretches → digest, and the verdict on each stretch."""
