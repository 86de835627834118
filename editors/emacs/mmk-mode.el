;;; mmk-mode.el --- Major mode for .mmk kernels -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: languages

;;; Commentary:

;; Words in colours, indentation, and the language server mmk-lsp by Eglot: M-x eglot.
;; `mmk-format' formats a buffer without the server.

;;; Code:

(defgroup mmk nil
  "Kernels of the mmk compiler."
  :group 'languages)

(defcustom mmk-machine nil
  "The machine that kernels are checked for; nil is the server's default."
  :type '(choice (const nil) string))

(defvar mmk-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "_" table)
    table))

(defconst mmk-keywords '("kernel" "fn" "let" "schedule" "for" "require" "case" "check" "cast" "dim" "const"))
(defconst mmk-types '("f32" "f16" "bf16" "i8" "i32" "int"))
(defconst mmk-directives
  '("cores" "grid" "tile" "stage" "extent" "buffers" "keep" "bias" "skew" "window" "store" "order" "fuse"
    "preload" "through" "reduce"))
(defconst mmk-check-keys '("rtol" "atol" "max_error_ratio" "rounding" "math"))

(defconst mmk-font-lock-keywords
  `((,(regexp-opt mmk-keywords 'symbols) . font-lock-keyword-face)
    (,(regexp-opt mmk-types 'symbols) . font-lock-type-face)
    ;; Only where a statement begins: a value may have such a name.
    (,(concat "\\(?:^\\|[{;]\\)[ \t]*" (regexp-opt (append mmk-directives mmk-check-keys) t) "\\_>")
     1 font-lock-variable-name-face)
    ("\\_<\\(?:kernel\\|fn\\|case\\)\\_>[ \t]+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-function-name-face)
    ("\\_<\\(?:inf\\|nan\\)\\_>" . font-lock-constant-face)
    ("\\_<[A-Z]\\(?:\\sw\\|\\s_\\)*\\_>" . font-lock-constant-face)))

(defun mmk-indent-line ()
  "Indent a line by the brackets around it."
  (let* ((state (save-excursion (syntax-ppss (line-beginning-position))))
         (open (nth 1 state))
         (closes (save-excursion (back-to-indentation) (looking-at-p "[])}]")))
         (column (cond ((nth 4 state) nil) ; a comment stays as it is
                       ((not open) 0)
                       ((save-excursion (goto-char open) (skip-chars-forward "[({") (looking-at-p "[ \t]*\\(?:$\\|//\\)"))
                        (+ (save-excursion (goto-char open) (current-indentation)) (if closes 0 2)))
                       (t (save-excursion (goto-char (1+ open)) (current-column))))))
    (when column
      (if (<= (current-column) (current-indentation))
          (indent-line-to column)
        (save-excursion (indent-line-to column))))))

(defun mmk-format ()
  "Format the buffer by the command `mmk format'."
  (interactive)
  (let ((formatted (generate-new-buffer " *mmk-format*"))
        (messages (make-temp-file "mmk-format")))
    (unwind-protect
        (if (eq 0 (call-process-region nil nil "mmk" nil (list formatted messages) nil "format" "-"))
            (replace-buffer-contents formatted)
          (message "%s" (with-temp-buffer (insert-file-contents messages) (buffer-string))))
      (kill-buffer formatted)
      (delete-file messages))))

;;;###autoload
(define-derived-mode mmk-mode prog-mode "mmk"
  "Major mode for kernels of the mmk compiler."
  (setq-local comment-start "// "
              comment-start-skip "\\(?://+\\|/\\*+\\)[ \t]*"
              comment-end ""
              indent-tabs-mode nil
              fill-column 100
              indent-line-function #'mmk-indent-line
              font-lock-defaults '(mmk-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.mmk\\'" . mmk-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `(mmk-mode . ,(lambda (&rest _)
                               (if mmk-machine (list "mmk-lsp" "--machine" mmk-machine) '("mmk-lsp"))))))

(provide 'mmk-mode)
;;; mmk-mode.el ends here
