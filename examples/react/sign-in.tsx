import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { v } from './client.ts';
import { Factor } from './factor.tsx';

export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [factorToken, setFactorToken] = useState<string>();
  const enter = useMutation({
    mutationFn: async (way: 'login' | 'register') => {
      if (way === 'register') await v.auth.register({ email, password });
      else setFactorToken((await v.auth.login({ email, password })).factorToken);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate('login');
  };
  if (factorToken) return <Factor factorToken={factorToken} onBack={() => setFactorToken(undefined)} />;
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Email"
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <input
        aria-label="Password"
        type="password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <button type="submit">Sign in</button>
      <button type="button" onClick={() => enter.mutate('register')}>
        Register
      </button>
      {enter.error && <p role="alert">{enter.error.message}</p>}
    </form>
  );
}
