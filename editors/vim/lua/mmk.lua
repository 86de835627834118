-- The language server in Neovim: require('mmk').setup{}, with
--   server   the command; default: {'mmk-lsp'}
--   machine  the machine that kernels are checked and counted for; default: ascend910b3
--   lower    false: without what only lowering a kernel finds
--   on_attach  as of vim.lsp
local M = {}

-- What the lens of a case says when it is chosen.
local function show(_, count)
  if count and count.summary then
    vim.notify(string.format('%s %s: %s', count.kernel, count.case, count.summary))
    vim.lsp.codelens.refresh()
  end
end

local function start(options)
  return vim.lsp.start_client({
    name = 'mmk',
    cmd = options.server or { 'mmk-lsp' },
    root_dir = vim.fn.getcwd(),
    init_options = { machine = options.machine, lower = options.lower },
    handlers = { ['workspace/executeCommand'] = show },
    on_attach = options.on_attach,
  })
end

function M.setup(options)
  options = options or {}
  local client
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'mmk',
    callback = function(event)
      -- One server for all buffers, and a new one if it has ended.
      if not client or not vim.lsp.get_client_by_id(client) then
        client = start(options)
      end
      vim.lsp.buf_attach_client(event.buf, client)
    end,
  })
end

return M
