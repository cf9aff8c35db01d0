import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { User } from 'vitrine/client';
import { v } from './client.ts';

/** Who is signed in; undefined while that is not known yet. */
export function useUser(): User | null | undefined {
  const [user, setUser] = useState<User | null>();
  const queries = useQueryClient();
  useEffect(() => {
    v.auth.user().then(setUser);
    return v.auth.onChange((now) => {
      queries.clear(); // what one user saw is not for the next
      setUser(now);
    });
  }, [queries]);
  return user;
}
