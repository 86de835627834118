# cmake -DTEXT=FILE -DOUTPUT=FILE -P EmbedText.cmake: writes TEXT as one C++ string literal.
file(READ ${TEXT} text)
file(WRITE ${OUTPUT} "R\"text(${text})text\"\n")
