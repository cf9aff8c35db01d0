/** Roles in a workspace. */
export const roles = ['owner', 'member'] as const;
export type Role = (typeof roles)[number];
