-- The catalog row (JSON) of the open segment as it is once sealed. All values are digits or ids, so nothing needs escaping.
-- The seal is Redis' own time in microseconds: a Redis that went back and seals a segment again writes another one.
local function seal_row(meta)
  local s = redis.call('HMGET', meta, 'first', 'last', 'min_timestamp', 'max_timestamp', 'max_timestamp_id', 'entries',
    'bytes', 'opened')
  for i = 1, 8 do
    s[i] = s[i] or ''
  end
  local now = redis.call('TIME')
  local seal = now[1] .. string.format('%06d', tonumber(now[2]))
  return '{"state":"SEALED","first":"' .. s[1] .. '","last":"' .. s[2] .. '","firstTimestamp":"' .. s[3]
    .. '","lastTimestamp":"' .. s[4] .. '","lastTimestampId":"' .. s[5] .. '","entries":"' .. s[6]
    .. '","bytes":"' .. s[7] .. '","opened":"' .. s[8] .. '","seal":"' .. seal .. '"}'
end
