import { useEffect } from 'preact/hooks';
import { Logo } from '../../shell/logo.tsx';
import { texts } from '../../texts.ts';
import { SignInForm } from './form.tsx';

export function SignInPage() {
  useEffect(() => {
    document.title = `${texts.signIn.title} · ${texts.product}`;
  }, []);
  return (
    <main class="gate">
      <div class="gate-box">
        <p class="brand">
          <Logo /> {texts.product}
        </p>
        <h1>{texts.signIn.title}</h1>
        <SignInForm email="" />
        <p class="field-hint">{texts.signIn.firstTime}</p>
      </div>
    </main>
  );
}
