import { answer, installed } from "./lines.mjs";

const { assertions } = (await installed("promptfoo")).default;

await answer(async ({ configuration, expected, actual }) => {
  const [name, threshold] = configuration.split("@");
  const assertion = {
    type: name.startsWith("not-") ? "not-tool-call-f1" : "tool-call-f1",
    value: expected.map((call) => call.name),
    threshold: threshold === undefined ? undefined : Number(threshold),
  };
  const result = await assertions.runAssertion({ assertion, test: {}, providerResponse: { output: actual } });
  return name === "f1" ? result.score : result.pass;
});
