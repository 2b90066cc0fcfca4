// Prints whether two objects that one place of the built program made as a copy with more have the same hidden class.
// Usage: node same-class.mjs <index.js>
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--allow-natives-syntax');
const haveSameClass = new Function('first', 'second', 'return %HaveSameMap(first, second)');
const { explainCommand } = await import(process.argv[2]);

const written = async () => {
  const { files } = await explainCommand('cp a b', { cwd: '/w', home: '/home/u' });
  return files.find(({ access, into }) => access === 'write' && into !== undefined);
};

// The place knows what it copies only after it did so some times.
for (let run = 0; run < 200; run++) await written();
const [first, second] = [await written(), await written()];
if (first === undefined || first === second) throw new Error('cp has no target of its own');
console.log(haveSameClass(first, second));
