"""What Telar does on GitHub: comments, statuses, issues. Everything from a pull request is hostile here."""
