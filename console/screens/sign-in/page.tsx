import { texts } from '../../texts.ts';
import { SignInForm } from './form.tsx';
import { Gate } from './gate.tsx';

export function SignInPage() {
  return (
    <Gate title={texts.signIn.title}>
      <SignInForm email="" />
      <p class="field-hint">{texts.signIn.firstTime}</p>
    </Gate>
  );
}
