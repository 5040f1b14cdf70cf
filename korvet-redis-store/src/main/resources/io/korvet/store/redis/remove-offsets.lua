-- Removes positions of a group, unless somebody has claimed the group since, or a later change of the same claim is there.
-- KEYS  1 the group's members  2 its positions
-- ARGV  1 epoch  2 number of the change under the claim  3 field, and so on; no field for all
-- Answer  0 claimed by another, 1 done, 2 done and the claim stored with it, 3 a later change is there; how many are left
--@include group-claim.lua
local claim, last = claim_of(KEYS[1], ARGV[1])
if claim == 0 or last > tonumber(ARGV[2]) then
  return {claim == 0 and 0 or 3, 0}
end
if claim == 2 then
  store_claim(redis.call, KEYS[1], ARGV[1])
end
-- What can't be written because memory is full can still be removed.
redis.pcall('HSET', KEYS[1], 'commits', ARGV[2])
if #ARGV == 2 then
  redis.call('DEL', KEYS[2])
end
for i = 3, #ARGV do
  redis.call('HDEL', KEYS[2], ARGV[i])
end
keep_claim(KEYS[1], KEYS[2])
return {claim, redis.call('HLEN', KEYS[2])}
