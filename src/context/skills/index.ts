// Skills that files describe.

export {
  type FoundSkills,
  findSkills,
  type RefusedSkill,
  readFolder,
  type Skill,
  type SkillFolder,
  type SkillsHost,
  stampOfSkills,
} from './find-skills.js';
export { skillOfText, skillText, splitRules } from './skill-definition.js';
