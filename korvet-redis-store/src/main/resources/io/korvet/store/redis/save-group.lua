-- Writes a group's members in the place of what is there, unless somebody has claimed the group since.
-- KEYS  1 the group's members
-- ARGV  1 epoch  2 field  3 value, and so on
-- Answer  1 done, 0 claimed by another
--@include group-claim.lua
local claim = claim_of(KEYS[1], ARGV[1])
if claim == 0 then
  return 0
end
if claim == 2 then
  store_claim(redis.call, KEYS[1], ARGV[1])
end
local kept = {epoch = true, commits = true}
for i = 2, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  kept[ARGV[i]] = true
end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if not kept[field] then
    redis.call('HDEL', KEYS[1], field)
  end
end
redis.call('PERSIST', KEYS[1])
return 1
