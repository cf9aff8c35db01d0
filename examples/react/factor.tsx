import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { v } from './client.ts';

/** The second half of a sign-in, for an account with a second factor. A recovery code stands in for one of the app. */
export function Factor({ factorToken, onBack }: { factorToken: string; onBack: () => void }) {
  const [code, setCode] = useState('');
  const enter = useMutation({ mutationFn: () => v.auth.factor({ factorToken, code }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate();
  };
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Code"
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <button type="submit">Sign in</button>
      <button type="button" onClick={onBack}>
        Back
      </button>
      {enter.error && <p role="alert">{enter.error.message}</p>}
    </form>
  );
}
