// The grammar of .mmk files.
//
// Every decision needs one token only (but the operators, which go by precedence), so that the
// parser always knows the whole legal set where it stops, and can say it. What a word means
// (directives, types, names of functions) is the checker's: it gives better messages than a
// grammar can.
grammar Mmk;

program : item* EOF ;
item : kernel | function ;

kernel
  : 'kernel' NAME '(' (parameter (',' parameter)*)? ')' '->' result (',' result)*
    '{' kernelItem* '}'
  ;
parameter : NAME ':' type ('=' number)? ;
result : NAME ':' type ;
// Names before the last are words such as `const`, which are no keywords.
type : NAME+ ('[' dimension (',' dimension)* ']')? ;
dimension : NAME | INTEGER ;

// Of a function over tensors, places introduces the variables of its result.
function : 'fn' NAME over? '(' (argument (',' argument)*)? ')' places? '=' expression ';' ;
argument : NAME ('[' dimension (',' dimension)* ']')? (':' NAME)? ;
// The dimensions of a function that has some.
over : '[' NAME (',' NAME)* ']' ;

kernelItem : let | assignment | requirement | schedule | caseBlock | check ;
let : 'let' NAME places? '=' expression ';' ;
// The first of two names is `dim`, which is no keyword.
assignment : NAME (NAME | places)? '=' expression ';' ;
// The index variables of a statement, and what they range over.
places : '[' place (',' place)* ']' ;
place : NAME (':' expression)? ;

schedule : 'schedule' ('for' pattern)? '{' scheduleItem* '}' ;
pattern : (NAME | INTEGER | FLOAT | '*' | '-' | '.')+ ;
scheduleItem : directive | requirement ;
directive : NAME ('=' alternatives | setting (',' setting)*) ';' ;
setting : settingWord ('.' settingWord)* '=' alternatives ;
// B*T and C*49 are dimensions that are joined.
settingWord : (NAME | INTEGER) ('*' (NAME | INTEGER))* ;
alternatives : alternative ('|' alternative)* ;
alternative : '-'? (INTEGER | FLOAT) | NAME ('(' '-'? INTEGER ')')? ;
requirement : 'require' expression ';' ;

caseBlock : 'case' NAME '{' binding* '}' ;
check : 'check' '{' tolerance* '}' ;
binding : NAME '=' number ';' ;
tolerance : NAME '=' (number | NAME) ';' ;
number : '-'? (INTEGER | FLOAT | 'inf' | 'nan') ;

// Tightest first. '@' stands with '*' and groups from the left, as in Python. '%' is for
// calculations with whole numbers; a dotted name is a choice in the rules of a schedule.
expression
  : op=('-' | '!') expression                                             # unary
  | expression op=('*' | '/' | '%' | '@') expression                      # binary
  | expression op=('+' | '-') expression                                  # binary
  | expression op=('<' | '<=' | '>' | '>=') expression                    # binary
  | expression op=('==' | '!=') expression                                # binary
  | expression op='&&' expression                                         # binary
  | expression op='||' expression                                         # binary
  | '(' expression ')'                                                    # parentheses
  | 'cast' '<' NAME '>' '(' expression ')'                                # cast
  | NAME (('.' NAME)+ | brackets? (call element=brackets?)?)              # reference
  | (INTEGER | FLOAT | 'inf' | 'nan')                                     # literal
  ;
call : '(' (expression (',' expression)*)? ')' ;
// Of a call, what it goes over; else the element of a tensor.
brackets : '[' subscript (',' subscript)* ('|' expression)? ']' ;
subscript : expression (':' expression)? ;

KERNEL : 'kernel' ;
FN : 'fn' ;
LET : 'let' ;
SCHEDULE : 'schedule' ;
FOR : 'for' ;
REQUIRE : 'require' ;
CASE : 'case' ;
CHECK : 'check' ;
CAST : 'cast' ;
INF : 'inf' ;
NAN_ : 'nan' ;

LEFT_PARENTHESIS : '(' ;
RIGHT_PARENTHESIS : ')' ;
LEFT_BRACKET : '[' ;
RIGHT_BRACKET : ']' ;
LEFT_BRACE : '{' ;
RIGHT_BRACE : '}' ;
COMMA : ',' ;
SEMICOLON : ';' ;
COLON : ':' ;
DOT : '.' ;
ARROW : '->' ;
ASSIGN : '=' ;
BAR : '|' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
AT : '@' ;
PLUS : '+' ;
MINUS : '-' ;
LESS : '<' ;
LESS_EQUAL : '<=' ;
GREATER : '>' ;
GREATER_EQUAL : '>=' ;
EQUAL : '==' ;
NOT_EQUAL : '!=' ;
AND : '&&' ;
OR : '||' ;
NOT : '!' ;

NAME : [A-Za-z_] [A-Za-z_0-9]* ;
INTEGER : DIGIT+ ;
FLOAT : DIGIT+ '.' DIGIT* EXPONENT? | '.' DIGIT+ EXPONENT? | DIGIT+ EXPONENT ;
fragment DIGIT : [0-9] ;
fragment EXPONENT : [eE] [+-]? DIGIT+ ;

SPACE : [ \t\r\n\f\uFEFF]+ -> skip ;
// Kept beside the tokens of the parser, for `mmk format`.
LINE_COMMENT : '//' ~[\r\n]* -> channel(HIDDEN) ;
BLOCK_COMMENT : '/*' .*? '*/' -> channel(HIDDEN) ;

// Never an error of the lexer: the parser says what it expected instead.
OTHER : . ;
