" Editing .mmk texts: comments, indentation, and `gq`, which formats with mmk.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s comments=s1:/*,mb:*,ex:*/,://
setlocal expandtab shiftwidth=2 softtabstop=2 textwidth=100 formatoptions-=t formatoptions+=croql
setlocal cindent cinoptions=J1,(0,u0,W4
setlocal formatprg=mmk\ format\ -

let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop<'
      \ . ' textwidth< formatoptions< cindent< cinoptions< formatprg<'
