# Writes the text file IN as a list of C++ string literals to OUT, one a line of text (a compiler
# need not accept a literal of more than 64 KiB).
file(READ ${IN} text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n\"" text "${text}")
file(WRITE ${OUT} "\"${text}\"\n")
