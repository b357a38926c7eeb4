import { answer, installed, optionsOf } from "./lines.mjs";

const { evaluateToolCalls } = await installed("@mcpjam/sdk/matchers");
const spelled = ({ name, arguments: given }) => ({ toolName: name, arguments: given });

await answer(({ configuration, expected, actual }) => {
  const [toolCallOrder, argumentMatching, ...rest] = configuration.split("/");
  const [, options] = optionsOf(["", ...rest].join("/"));
  const match = evaluateToolCalls(expected.map(spelled), actual.map(spelled), {
    toolCallOrder,
    argumentMatching,
    ...options,
  });
  const { passed, missing, extra, argumentMismatches } = match;
  return {
    passed,
    missing: missing.length,
    extra: extra.length,
    argumentMismatches: argumentMismatches.length,
  };
});
