-- Removes all keys of a log.
local function drop_log(keys, prefix, suffix)
  local segments = redis.call('HKEYS', keys[3])
  segments[#segments + 1] = redis.call('HGET', keys[1], 'segment') or '0'
  for i = 1, #segments do
    redis.call('UNLINK', prefix .. segments[i], prefix .. segments[i] .. suffix)
  end
  redis.call('UNLINK', keys[1], keys[2], keys[3])
end
