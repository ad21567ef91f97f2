"""What the exercises of this chapter share."""

CHAPTER = "01_tokens"
