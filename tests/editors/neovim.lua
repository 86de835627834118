-- Opens the text of $MMK_TEXT in Neovim with editors/vim, and prints what the language server says of it as JSON.
local function main()
  require('mmk').setup({ lower = false })
  vim.cmd('edit ' .. vim.env.MMK_TEXT)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local function settled()
    return #vim.diagnostic.get(0) > 0
  end
  local isThere = vim.wait(60000, settled, 20)
  local messages = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    table.insert(messages, { each.lnum + 1, each.col + 1, each.message })
  end

  local function request(method, parameters)
    parameters.textDocument = vim.lsp.util.make_text_document_params()
    local answers = vim.lsp.buf_request_sync(0, method, parameters, 60000)
    for _, answer in pairs(answers or {}) do
      return answer.result
    end
  end
  -- A correct text has no messages.
  vim.api.nvim_buf_set_lines(0, 2, 3, false, { (lines[3]:gsub('rleu', 'relu')) })
  local isClean = vim.wait(60000, function() return #vim.diagnostic.get(0) == 0 end, 20)
  -- On the word `raw` of the third line.
  local at = { line = 2, character = lines[3]:find('raw') - 1 }
  local hover = request('textDocument/hover', { position = at })
  local definition = request('textDocument/definition', { position = at })
  vim.lsp.buf.formatting_sync({}, 60000)
  local names = {}
  for _, place in ipairs({ { 1, 'kernel' }, { 1, 'f16' }, { 5, 'tile' }, { 7, 'case' }, { 3, 'relu' } }) do
    local line = vim.api.nvim_buf_get_lines(0, place[1] - 1, place[1], false)[1] or ''
    local column = line:find(place[2]) or 1
    names[place[2]] = vim.fn.synIDattr(vim.fn.synID(place[1], column, 1), 'name')
  end
  return {
    published = isThere, clean = isClean, messages = messages, hover = hover.contents.value,
    definition = definition.range.start, text = vim.api.nvim_buf_get_lines(0, 0, -1, false),
    filetype = vim.bo.filetype, syntax = names,
  }
end

local done, result = pcall(main)
io.stdout:write(vim.json.encode(done and result or { failed = tostring(result) }) .. '\n')
vim.cmd('qall!')
