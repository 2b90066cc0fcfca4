// The skills of a folder and of a session.

export { openSkillOptions, reloadSkills, withSkillRules } from './skill-options.js';
export type { ListedSkill, ListedSkills, SkillsOptions } from './skills.js';
export { listSkills, skillsOf } from './skills.js';
