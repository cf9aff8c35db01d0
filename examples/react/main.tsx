import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { v } from './client.ts';
import { SignIn } from './sign-in.tsx';
import { useUser } from './use-user.ts';
import { Wishes } from './wishes.tsx';

function App() {
  const user = useUser();
  if (user === undefined) return null;
  if (user === null) return <SignIn />;
  return (
    <>
      <p>
        Signed in as {user.email}{' '}
        <button type="button" onClick={() => v.auth.logout()}>
          Sign out
        </button>
      </p>
      <Wishes />
    </>
  );
}

const root = document.getElementById('root');
// The client itself retries where that makes sense.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  );
