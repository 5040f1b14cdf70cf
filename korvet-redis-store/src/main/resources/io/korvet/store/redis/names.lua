-- The names of an entry's fields, by bit mask (EntryFields).
local function fields_of(mask)
  local names, of = {'value', 'key', 'headers', 'timestamp', 'txn'}, {}
  mask = tonumber(mask)
  for i = 1, #names do
    if mask % 2 == 1 then
      of[#of + 1] = names[i]
    end
    mask = (mask - mask % 2) / 2
  end
  return of
end
