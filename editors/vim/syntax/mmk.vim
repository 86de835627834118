" The words of .mmk texts. tests/editors compares them with those of the language.
if exists('b:current_syntax')
  finish
endif

" `schedule` and `check` begin the regions below.
syntax keyword mmkKeyword kernel fn let for require case cast
syntax keyword mmkKeyword dim const
syntax keyword mmkNumber inf nan
syntax keyword mmkType f32 f16 bf16 i8 i32 int
syntax keyword mmkDirective contained cores grid tile stage extent buffers keep bias skew window store
syntax keyword mmkDirective contained order fuse preload through reduce
syntax keyword mmkCheck contained rtol atol max_error_ratio rounding math

syntax match mmkDimension /\<\u\w*\>/
syntax match mmkFunction /\<\l\w*\ze\%(\[[^]]*\]\)\?(/
syntax match mmkNumber /\<\d\+\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?\>\|\.\d\+\%([eE][+-]\?\d\+\)\?\>/
syntax match mmkOperator /->\|&&\|||\|[<>=!]=\|[-+*%@<>!=|]\|\/\%([*\/]\)\@!/

syntax region mmkSchedule matchgroup=mmkKeyword start=/\<schedule\>\%(\s\+for\s\+[[:alnum:]_.*-]\+\)\?/ end=/}\@=/
      \ contains=mmkDirective,mmkKeyword,mmkDimension,mmkNumber,mmkOperator,mmkComment
syntax region mmkCheckBlock matchgroup=mmkKeyword start=/\<check\>/ end=/}\@=/
      \ contains=mmkCheck,mmkNumber,mmkOperator,mmkComment

syntax sync fromstart
syntax match mmkComment +//.*+ contains=@Spell
syntax region mmkComment start=+/\*+ end=+\*/+ contains=@Spell

highlight default link mmkKeyword Keyword
highlight default link mmkType Type
highlight default link mmkDirective Identifier
highlight default link mmkCheck Identifier
highlight default link mmkDimension Constant
highlight default link mmkFunction Function
highlight default link mmkNumber Number
highlight default link mmkOperator Operator
highlight default link mmkComment Comment

let b:current_syntax = 'mmk'
