-- Removes a group's members, unless somebody has claimed the group since. The claim stays for a while.
-- KEYS  1 the group's members  2 its positions
-- ARGV  1 epoch
-- Answer  1 done, 0 claimed by another
--@include group-claim.lua
local claim = claim_of(KEYS[1], ARGV[1])
if claim == 0 then
  return 0
end
if claim == 2 then
  store_claim(redis.call, KEYS[1], ARGV[1])
end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if field ~= 'epoch' and field ~= 'commits' then
    redis.call('HDEL', KEYS[1], field)
  end
end
keep_claim(KEYS[1], KEYS[2])
return 1
