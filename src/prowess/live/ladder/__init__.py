"""Ladders in memory: results in order of play (a log), what follows from them (a state), changes.

columns   buffers that grow at their end, and results as columns
log       ResultLog: the results that count, in order of play
replay    playing rows of a log onto an engine state; rounds; states saved on the way
state     LadderState: a log and all that follows from it
update    `advance`: the state that changes of results lead to
prior     the ratings of each player before each result
roster    the rows of the players, and their names
ladder    the interface; `replayed` and `fitted` implement it; `loading` makes ladders
"""
