"""What every agent run of a supervisor needs, whatever it is for.

``asking`` says which model on which terms, ``purse`` who pays, ``permit`` when the user's own client may be run, ``offer`` which
tools, ``norms`` what people wrote for a project, ``places`` what may be read and whose lines are whose, ``vanished`` what a person
took out by hand, ``reasons`` why something was not taken, ``sending`` what leaves. Extraction and consolidation stand on it side by side.
"""
