// The skills of a folder and of a session.

export type { ListedSkill, ListedSkills, SkillsOptions } from './skills.js';
export { listSkills } from './skills.js';
