"""What a run leaves to others: a zip that says what it holds, proves that it is whole, and draws its figures again."""
