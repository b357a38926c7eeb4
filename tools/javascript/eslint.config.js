/** What the scripts of the report and of the page must not do, beside what ESLint recommends. */

import js from "@eslint/js";
import globals from "globals";

// All content is hostile: text goes into the document as text, never as markup.
const MARKUP = "Text from traces would become markup. Render it as text, with Preact.";
const SINKS = ["innerHTML", "outerHTML", "insertAdjacentHTML", "dangerouslySetInnerHTML", "srcdoc"];

// callscore/reports/html/bundle.py puts the modules behind one another in one script, without parsing them.
const ONLY_NAMED = "The one-file report is linked from named imports and exports only.";
const NOT_LINKED = [
  ["ExportDefaultDeclaration", ONLY_NAMED],
  ["ExportAllDeclaration", ONLY_NAMED],
  ["ExportNamedDeclaration[source]", ONLY_NAMED],
  ["ExportNamedDeclaration[declaration=null]", ONLY_NAMED],
  ["ExportNamedDeclaration > VariableDeclaration[kind!='const']", "Export constants, functions and classes only."],
  ["ImportDeclaration[specifiers.length=0]", ONLY_NAMED],
  ["ImportDefaultSpecifier", ONLY_NAMED],
  ["ImportNamespaceSpecifier", ONLY_NAMED],
  ["ImportExpression", "A report has no second file that could be loaded."],
  ["Program > ExpressionStatement > AwaitExpression", "A module must not wait while it is loaded."],
  ["MemberExpression[object.type='MetaProperty']", "A report has no address of its modules."],
];

export default [
  { ignores: ["**/vendor/**", "**/node_modules/**"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    rules: {
      curly: ["error", "multi-line"],
      eqeqeq: "error",
      "no-control-regex": "off", // they are looked for, to show them
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-script-url": "error",
      "no-undef": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["src/callscore/**/*.js"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.browser },
    rules: {
      "no-console": "error",
      "no-restricted-properties": [
        "error",
        ...SINKS.map((property) => ({ property, message: MARKUP })),
        { object: "document", property: "write", message: MARKUP },
        { object: "document", property: "writeln", message: MARKUP },
        { property: "createContextualFragment", message: MARKUP },
        { property: "parseFromString", message: MARKUP },
      ],
      "no-restricted-syntax": [
        "error",
        ...NOT_LINKED.map(([selector, message]) => ({ selector, message })),
        ...SINKS.map((name) => ({ selector: `TemplateElement[value.raw=/\\b${name}\\b/]`, message: MARKUP })),
      ],
    },
  },
  {
    files: ["tests/web_scripts/*.mjs"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.node },
  },
];
