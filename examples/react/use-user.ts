import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { User } from 'vitrine/client';
import { v } from './client.ts';

/** The signed-in user; undefined while that is not known yet. */
export function useUser(): User | null | undefined {
  const [user, setUser] = useState<User | null>();
  const queries = useQueryClient();
  useEffect(() => {
    v.auth.user().then(setUser);
    return v.auth.onChange((now) => {
      queries.clear(); // the next user must not see cached data of the last one
      setUser(now);
    });
  }, [queries]);
  return user;
}
