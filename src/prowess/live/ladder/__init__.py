"""Ladders in memory: results in order of play (a log), what follows from them (a state), changes.

log       ResultLog: the results that count, in order of play, as columns that grow
players   Players: the rows of the players, and their names
state     LadderState, and `advance`: the state that changes of results lead to
ratings   LadderRatings: ratings with those before each result
ladder    Ladder: a state that one thread changes and many read; previews
fitted    FittedLadder: the ladder of a whole-table system
loading   ladders from columns of a store, or from a saved log
"""
