import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { v } from './client.ts';

export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const enter = useMutation({
    mutationFn: async (way: 'login' | 'register') => {
      await v.auth[way]({ email, password });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate('login');
  };
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
