-- Whether one decimal number is below another; as text, since offsets may pass 2^53.
local function below(a, b)
  return #a < #b or #a == #b and a < b
end
