import { answer, installed, optionsOf } from "./lines.mjs";

const { toolCallAccuracy } = await installed("evalite/scorers/deterministic");
const spelled = ({ name, arguments: input }) => ({ toolName: name, input });

await answer(async ({ configuration, expected, actual }) => {
  const [mode, weights] = optionsOf(configuration);
  const expectedCalls = expected.map(spelled);
  const result = await toolCallAccuracy({ expectedCalls, actualCalls: actual.map(spelled), mode, weights });
  return result.score;
});
