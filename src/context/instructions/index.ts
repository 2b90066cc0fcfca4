// Instruction files: which there are, what they import, which rules they have for paths.

export {
  createLookAround,
  filesOf,
  findInstructionPlaces,
  type InstructionFile,
  type InstructionSources,
  type Instructions,
  LOCAL_FILES,
  type LookedAround,
  lookAround,
  managedInstructions,
  PROJECT_FILES,
  thatAreThere,
} from './instruction-places.js';
export { matchesRule, readInstructions, readNested } from './read-instructions.js';
