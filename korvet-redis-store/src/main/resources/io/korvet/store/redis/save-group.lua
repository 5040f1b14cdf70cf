-- Writes a group's members in the place of what is there, unless somebody has claimed the group since.
-- KEYS  1 the group's members
-- ARGV  1 epoch  2 field  3 value, and so on
-- Answer  1 done, 0 claimed by another
if tonumber(redis.call('HGET', KEYS[1], 'epoch') or '0') > tonumber(ARGV[1]) then
  return 0
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1])
local kept = {epoch = true}
for i = 2, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  kept[ARGV[i]] = true
end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if not kept[field] then
    redis.call('HDEL', KEYS[1], field)
  end
end
return 1
