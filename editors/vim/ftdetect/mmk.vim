autocmd BufNewFile,BufRead *.mmk setfiletype mmk
