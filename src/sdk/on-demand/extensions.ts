// Skills and commands of files, and what is told of all that extends a session.

export { stampOfSkills } from '../../context/skills/index.js';
export { openLoadedParts } from '../plugins/index.js';
export { commandFilesOf } from '../settings/index.js';
export { openSkillOptions, reloadSkills, withSkillRules } from '../skills/index.js';
