import { render } from 'preact';
import { askForFirstScreen } from './api.ts';
import { App } from './app.tsx';
import { currentPlace } from './router.ts';
import { findScreen } from './routes.ts';
import './theme.ts';

askForFirstScreen(findScreen(currentPlace().path)?.params.project);
const root = document.getElementById('app');
if (root) render(<App />, root);
