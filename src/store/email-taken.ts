import { Failure } from '../failure.ts';

export const emailTaken = (email: string) => new Failure('conflict', `email: '${email}' is already taken`);
