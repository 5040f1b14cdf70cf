-- Writes positions of a group, unless somebody has claimed the group since, or a later change of the same claim is there.
-- KEYS  1 the group's members  2 its positions
-- ARGV  1 epoch  2 number of the change under the claim  3 field  4 position, and so on; no field to store the claim alone
-- Answer  0 claimed by another, 1 done, 2 done and the claim stored with it, 3 a later change is there
--@include group-claim.lua
local claim, last = claim_of(KEYS[1], ARGV[1])
if claim == 0 then
  return 0
end
if last > tonumber(ARGV[2]) then
  return 3
end
if claim == 2 then
  store_claim(redis.call, KEYS[1], ARGV[1])
end
redis.call('HSET', KEYS[1], 'commits', ARGV[2])
local added = 0
for i = 3, #ARGV, 2000 do
  added = added + redis.call('HSET', KEYS[2], unpack(ARGV, i, math.min(i + 1999, #ARGV)))
end
if added > 0 or claim == 2 then
  keep_claim(KEYS[1], KEYS[2])
end
return claim
