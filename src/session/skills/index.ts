// Skills of a session: which there are, and which are in use.
export { activeSkills, skillsInUse } from './active-skills.js';
export { type FoundSkillParts, type OpenedSkills, openSkills } from './open-skills.js';
