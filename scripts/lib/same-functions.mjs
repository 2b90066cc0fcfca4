// Finds functions of src/ that say the same, in whatever names for what is theirs: each has one home.
import ts from 'typescript';

/** Shorter ones are as quick to read as a name. Signs of the body, with a blank between its words. */
const SHORT = 60;
/** The mocks and the validator of the wire judge the engine, so they share nothing with it. */
const APART = /^src\/testing\//;

export function createSameFunctions() {
  /** By what it says, the places. */
  const found = new Map();
  return {
    /** @param file a source file with parents */
    add(path, file) {
      if (APART.test(path)) return;
      const own = declaredIn(file);
      for (const statement of file.statements) {
        if (!ts.isFunctionDeclaration(statement) || statement.body === undefined) continue;
        const said = saidBy(statement, file, (name) => (own.has(name) ? `${path}:${name}` : name));
        if (said.length < SHORT) continue;
        const { line } = file.getLineAndCharacterOfPosition(statement.getStart());
        const places = found.get(said) ?? [];
        places.push(`${path}:${line + 1}: ${statement.name?.text}`);
        found.set(said, places);
      }
    },
    /** A text for each group. */
    faults: () =>
      [...found.values()]
        .filter((places) => places.length > 1)
        .map(([first, ...others]) => `${first} says what ${others.join(' and ')} says; give it one home`),
  };
}

/** Names that the file itself declares: those of the same name elsewhere are others. */
function declaredIn(file) {
  const names = new Set();
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) if (ts.isIdentifier(name)) names.add(name.text);
    if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name !== undefined)
      names.add(statement.name.text);
  }
  return names;
}

/** The words of its parameters and its body, without types and comments; each of its own names is a number. */
function saidBy(declared, file, nameOf) {
  const locals = new Map();
  const collect = (node) => {
    if (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) declare(node.name);
    ts.forEachChild(node, collect);
  };
  const declare = (name) => {
    if (ts.isIdentifier(name) && !locals.has(name.text)) locals.set(name.text, `$${locals.size}`);
  };
  for (const parameter of declared.parameters) collect(parameter);
  collect(declared.body);
  const words = [];
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    if (children.length > 0) {
      for (const child of children) visit(child);
      return;
    }
    const text = node.getText(file);
    if (text !== '') words.push(ts.isIdentifier(node) ? nameIn(node, text) : text);
  };
  const nameIn = (node, text) => {
    const isField = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
    return isField ? text : (locals.get(text) ?? nameOf(text));
  };
  for (const parameter of declared.parameters) visit(parameter.name);
  visit(declared.body);
  return words.join(' ');
}
